import { type ReactNode, type Ref, useEffect } from 'react';

export const BrandMark = ({ size = 22 }: { size?: number }) => (
  <svg width={size} height={size} viewBox="0 0 22 22" aria-hidden>
    <path
      d="M2.8 8.5v5M6.8 5v12M10.8 7.5v7M14.8 3.5v15M18.8 9v4"
      stroke="var(--accent)"
      strokeWidth="2.2"
      strokeLinecap="round"
      fill="none"
    />
  </svg>
);

/** A page scrolls as a whole; focusable, so that the keyboard can scroll it (WCAG 2.1.1). */
const FOCUSABLE = { tabIndex: 0 } as const;

export const Page = ({ children, ref }: { children: ReactNode; ref?: Ref<HTMLDivElement> }) => (
  <div
    {...FOCUSABLE}
    ref={ref}
    className="h-full overflow-y-auto px-4 pt-4 pb-12 outline-offset-[-2px] lg:px-8"
  >
    {children}
  </div>
);

type PageHeaderProps = {
  title: string;
  text?: string;
  /** The page's own actions. */
  children?: ReactNode;
};

/** The page's heading and actions; names the document after it. */
export const PageHeader = ({ title, text, children }: PageHeaderProps) => {
  useEffect(() => {
    document.title = `${title} · Earshot`;
  }, [title]);
  return (
    <header className="mb-6 flex flex-wrap items-start gap-x-4 gap-y-3 pt-1">
      <div className="min-w-0 flex-1 basis-72">
        <h1 className="font-serif text-xl leading-tight font-semibold tracking-[-.012em]">{title}</h1>
        {text !== undefined && <p className="mt-1 max-w-[640px] text-ink-2">{text}</p>}
      </div>
      {children !== undefined && <div className="flex items-center gap-2">{children}</div>}
    </header>
  );
};

type SectionProps = { title: string; text?: string; action?: ReactNode; children: ReactNode };

/** A titled part of a page. */
export const Section = ({ title, text, action, children }: SectionProps) => (
  <section className="mb-9">
    <div className="mb-3 flex items-end gap-3 border-b border-line pb-2">
      <div className="min-w-0 flex-1">
        <h2 className="text-base font-semibold tracking-[-.005em]">{title}</h2>
        {text !== undefined && <p className="mt-0.5 max-w-[640px] text-ink-2">{text}</p>}
      </div>
      {action}
    </div>
    {children}
  </section>
);

/** What stands in the window alone, without navigation. */
export const CenteredPage = ({ children }: { children: ReactNode }) => (
  <main className="grid h-full place-items-center overflow-auto bg-surface px-5 py-8">{children}</main>
);
