import { Download, Play, Plus, Trash2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Chip, SpeakerAvatars, Tag } from '../../ui/badge.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Callout, EmptyState, ProgressBar } from '../../ui/feedback.tsx';
import { Field, SearchField, TextInput } from '../../ui/field.tsx';
import { Kbd } from '../../ui/kbd.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { Page, PageHeader } from '../../ui/page.tsx';
import { Popover } from '../../ui/popover.tsx';
import { SegmentedControl } from '../../ui/segmented-control.tsx';
import { Select } from '../../ui/select.tsx';
import { Checkbox, Switch } from '../../ui/switch.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { Waveform } from '../../ui/waveform.tsx';

const COLORS = [
  'ground',
  'surface',
  'raised',
  'sunken',
  'ink',
  'ink-2',
  'ink-3',
  'line',
  'line-2',
  'accent',
  'accent-soft',
  'good',
  'warn',
  'bad',
  'mark',
  'playing',
];
const SPEAKERS = ['a', 'b', 'c', 'd', 'e', 'f'];
const PEAKS = Float32Array.from({ length: 200 }, (_, index) =>
  Math.abs(Math.sin(index / 7) * Math.cos(index / 23)),
);

/** The design system: every component in both themes. Reached by its address, `#/design`, and in English only. */
const DesignScreen = () => (
  <Page>
    <PageHeader title="Design" text="Quiet, typographic, fast. One accent, for what is live." />
    <div lang="en" className="grid gap-6 xl:grid-cols-2">
      <Sample theme="light" />
      <Sample theme="dark" />
    </div>
  </Page>
);
export default DesignScreen;

const Sample = ({ theme }: { theme: 'light' | 'dark' }) => (
  <section
    data-theme={theme}
    aria-label={theme}
    className="min-w-0 rounded-sheet border border-line bg-surface p-6 text-ink"
  >
    <Group title="Type">
      <p className="font-serif text-2xl font-semibold">What was said</p>
      <p className="font-serif text-lg">Source Serif for the spoken word, at reading size.</p>
      <p>
        Inter for the instrument. Numbers in tabular figures: <span className="tnum">1:14:08</span>
      </p>
      <p className="font-mono text-2xs">JetBrains Mono for names of files</p>
    </Group>
    <Group title="Color">
      <ul className="grid grid-cols-4 gap-2 sm:grid-cols-8">
        {COLORS.map((color) => (
          <li key={color} className="text-2xs text-ink-2">
            <span
              className="mb-1 block h-8 rounded-ctl border border-line"
              style={{ background: `var(--${color})` }}
            />
            {color}
          </li>
        ))}
      </ul>
      <p className="mt-3 flex gap-3">
        {SPEAKERS.map((speaker) => (
          <span key={speaker} className="font-[620]" style={{ color: `var(--speaker-${speaker})` }}>
            {speaker.toUpperCase()}
          </span>
        ))}
      </p>
    </Group>
    <Buttons />
    <Fields />
    <Feedback theme={theme} />
  </section>
);

const Group = ({ title, children }: { title: string; children: ReactNode }) => (
  <div className="mb-7">
    <h2 className="mb-3 border-b border-line pb-1.5 text-xs font-semibold text-ink-3">{title}</h2>
    {children}
  </div>
);

const Row = ({ children }: { children: ReactNode }) => (
  <div className="mb-3 flex flex-wrap items-center gap-2">{children}</div>
);

const noop = () => undefined;

const Buttons = () => (
  <Group title="Buttons and menus">
    <Row>
      <Button variant="primary">
        <Plus size={16} aria-hidden />
        Primary <Kbd>N</Kbd>
      </Button>
      <Button>Secondary</Button>
      <Button variant="ghost">Ghost</Button>
      <Button variant="danger">
        <Trash2 size={15} aria-hidden />
        Danger
      </Button>
      <Button variant="link">Link</Button>
      <Button disabled>Disabled</Button>
    </Row>
    <Row>
      <IconButton label="Play">
        <Play size={16} aria-hidden />
      </IconButton>
      <IconButton label="Download" pressed>
        <Download size={16} aria-hidden />
      </IconButton>
      <Menu trigger={<Button>Menu</Button>} align="start">
        <MenuItem onSelect={noop} hint="F2">
          Rename
        </MenuItem>
        <MenuItem onSelect={noop} tone="bad">
          Delete
        </MenuItem>
      </Menu>
      <Popover label="Popover" trigger={<Button>Popover</Button>}>
        <p>A few controls that act at once.</p>
      </Popover>
      <Chip isOn onClick={noop}>
        All
      </Chip>
      <Chip isOn={false} onClick={noop} count="2">
        In progress
      </Chip>
    </Row>
  </Group>
);

const Fields = () => {
  const [text, setText] = useState('');
  const [on, setOn] = useState(true);
  const [form, setForm] = useState<'code' | 'stars'>('code');
  const [tab, setTab] = useState<'one' | 'two'>('one');
  return (
    <Group title="Fields">
      <Row>
        <SearchField
          label="Search"
          clearLabel="Clear"
          value={text}
          onValueChange={setText}
          className="w-60"
        />
        <SegmentedControl
          label="Form"
          value={form}
          choices={[
            { value: 'code', label: 'Code' },
            { value: 'stars', label: 'Stars' },
          ]}
          onChange={setForm}
        />
      </Row>
      <div className="mb-3 grid gap-3 sm:grid-cols-2">
        <Field label="Name" hint="As people call it.">
          {(ids) => <TextInput {...ids} defaultValue="Interview" />}
        </Field>
        <Field label="Address" error="That is not a link.">
          {(ids) => <TextInput {...ids} defaultValue="ftp:/" />}
        </Field>
        <Field label="Language">
          {(ids) => (
            <Select
              {...ids}
              value="en"
              choices={[
                { value: 'en', label: 'English' },
                { value: 'de', label: 'German' },
              ]}
              onChange={noop}
            />
          )}
        </Field>
        <Switch label="Who speaks when" hint="Labels each voice" checked={on} onChange={setOn} />
        <Checkbox label="Places" showLabel checked={on} onChange={setOn} />
      </div>
      <Tabs
        label="Tabs"
        value={tab}
        onChange={setTab}
        tabs={[
          { value: 'one', label: 'Summary', content: <p className="pt-2">First</p> },
          { value: 'two', label: 'Names', content: <p className="pt-2">Second</p> },
        ]}
      />
    </Group>
  );
};

const Feedback = ({ theme }: { theme: string }) => (
  <Group title="Showing">
    <Row>
      <Tag>Shipping</Tag>
      <Tag tone="good">delivered</Tag>
      <Tag tone="warn">public</Tag>
      <Tag tone="bad">strong</Tag>
      <SpeakerAvatars names={['Ines', 'Tom', 'Archive', 'D', 'E', 'F', 'G']} label="7 speakers" />
    </Row>
    <ProgressBar value={0.62} label="Progress" className="mb-4" />
    <Waveform peaks={PEAKS} from={0} to={0.4} className="mb-4 h-12" />
    <div className="mb-3 flex flex-col gap-2">
      <Callout tone="plain">A note beside the work.</Callout>
      <Callout tone="warn">Something to know first.</Callout>
      <Callout tone="bad">Something that failed, and what was kept.</Callout>
    </div>
    <CodeBlock label={`Example, ${theme}`} code="earshot serve" copyLabel="Copy" copiedLabel="Copied" />
    <EmptyState title="Nothing here" text="What it is, and the way on.">
      <Button>Show all</Button>
    </EmptyState>
  </Group>
);
