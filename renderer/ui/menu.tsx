import { Check } from 'lucide-react';
import { DropdownMenu, Popover as Radix } from 'radix-ui';
import { type ReactNode, useRef, useState } from 'react';
import { cx } from '../lib/classes.ts';
import { Kbd } from './kbd.tsx';
import { returnFocus } from './return-focus.ts';

type PopoverProps = { label: string; trigger: ReactNode; children: ReactNode };

/** A non-modal panel beside its trigger; Escape closes it. */
export const Popover = ({ label, trigger, children }: PopoverProps) => (
  <Radix.Root>
    <Radix.Trigger asChild>{trigger}</Radix.Trigger>
    <Radix.Portal>
      <Radix.Content
        align="end"
        sideOffset={4}
        collisionPadding={8}
        aria-label={label}
        onCloseAutoFocus={returnFocus}
        className="fade z-40 w-[300px] max-w-[calc(100vw-16px)] rounded-box border border-line-2 bg-raised p-4 shadow-high"
      >
        {children}
      </Radix.Content>
    </Radix.Portal>
  </Radix.Root>
);

const PANEL = 'fade z-50 rounded-box border border-line-2 bg-raised shadow-high';

export const Menu = ({
  trigger,
  children,
  align = 'end',
}: {
  trigger: ReactNode;
  children: ReactNode;
  align?: 'start' | 'end';
}) => {
  const triggerRef = useRef<HTMLButtonElement>(null);
  const [landmark, setLandmark] = useState<Element | null>(null);
  return (
    // Non-modal and inside the trigger's landmark, so that screen readers keep access to the page.
    <DropdownMenu.Root
      modal={false}
      onOpenChange={(open) =>
        open && setLandmark(triggerRef.current?.closest('[role=dialog], main, nav') ?? null)
      }
    >
      <DropdownMenu.Trigger asChild ref={triggerRef}>
        {trigger}
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal container={landmark}>
        <DropdownMenu.Content
          align={align}
          sideOffset={4}
          collisionPadding={8}
          onCloseAutoFocus={returnFocus}
          className={cx(
            PANEL,
            'max-h-[70vh] max-w-[min(420px,calc(100vw-16px))] min-w-[180px] overflow-y-auto p-1',
          )}
        >
          {children}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
};

type MenuItemProps = {
  icon?: ReactNode;
  hint?: string;
  tone?: 'plain' | 'bad';
  checked?: boolean;
  disabled?: boolean;
  onSelect: () => void;
  children: ReactNode;
};

export const MenuItem = ({
  icon,
  hint,
  tone = 'plain',
  checked,
  disabled,
  onSelect,
  children,
}: MenuItemProps) => (
  <DropdownMenu.Item
    disabled={disabled}
    onSelect={onSelect}
    className={cx(
      'flex h-8 cursor-default items-center gap-2.5 rounded-ctl px-2.5 outline-none select-none data-[highlighted]:bg-sunken data-[disabled]:opacity-45',
      tone === 'bad' ? 'text-bad' : 'text-ink',
    )}
  >
    {icon}
    <span className="min-w-0 flex-1 truncate">{children}</span>
    {hint !== undefined && <Kbd className="text-ink-3">{hint}</Kbd>}
    {checked === true && <Check size={14} aria-hidden />}
  </DropdownMenu.Item>
);

export const MenuSeparator = () => <DropdownMenu.Separator className="my-1 h-px bg-line" />;
