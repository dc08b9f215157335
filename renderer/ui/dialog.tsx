import { X } from 'lucide-react';
import { AlertDialog, Dialog as Radix } from 'radix-ui';
import type { KeyboardEvent, ReactNode } from 'react';
import { cx } from '../lib/classes.ts';
import { Button } from './button.tsx';
import { useReturnFocus } from './return-focus.ts';

const OVERLAY = 'fade fixed inset-0 z-40 bg-veil';
const PANEL =
  'enter fixed top-1/2 left-1/2 z-40 -translate-x-1/2 -translate-y-1/2 rounded-sheet border border-line bg-raised shadow-high outline-none';

const FIRST_CONTROL = ['[type="radio"]:checked', 'input:not([type="radio"])', 'textarea', 'button']
  .map((control) => `[data-body] ${control}`)
  .join(',');

type DialogProps = {
  title: string;
  description?: string;
  closeLabel: string;
  onClose: () => void;
  /** Shortcuts of the whole dialog. */
  onKeyDown?: (event: KeyboardEvent) => void;
  children: ReactNode;
  footer?: ReactNode;
  width?: number;
  /** Focuses the first control of the body, or the choice of a group that comes first, rather than the dialog. */
  focusesControl?: boolean;
  /** Only text: its scroll area is a Tab stop, since nothing in it is (WCAG 2.1.1). */
  isText?: boolean;
};

/** A modal dialog with a scrolling body; Escape closes it. */
export const Dialog = ({
  title,
  description,
  closeLabel,
  onClose,
  onKeyDown,
  children,
  footer,
  width = 660,
  focusesControl = false,
  isText = false,
}: DialogProps) => {
  const onCloseAutoFocus = useReturnFocus();
  return (
    <Radix.Root open onOpenChange={(open) => !open && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className={OVERLAY} />
        <Radix.Content
          className={cx(PANEL, 'flex max-h-[min(92vh,900px)] w-[calc(100vw-24px)] flex-col')}
          style={{ maxWidth: width }}
          tabIndex={-1}
          onKeyDown={onKeyDown}
          onCloseAutoFocus={onCloseAutoFocus}
          onOpenAutoFocus={(event) => {
            // Focus the dialog rather than its close button, so that Tab starts at the top.
            event.preventDefault();
            const { currentTarget: panel } = event;
            if (!(panel instanceof HTMLElement)) return;
            const control = focusesControl && panel.querySelector<HTMLElement>(FIRST_CONTROL);
            (control || panel).focus();
          }}
          {...(description === undefined ? { 'aria-describedby': undefined } : {})}
        >
          <header className="flex items-center justify-between gap-4 px-[22px] pt-[18px] pb-2">
            <div>
              <Radix.Title className="font-serif text-[20px] leading-tight font-semibold tracking-[-.01em]">
                {title}
              </Radix.Title>
              {description !== undefined && (
                <Radix.Description className="mt-1 text-ink-2">{description}</Radix.Description>
              )}
            </div>
            <Radix.Close
              aria-label={closeLabel}
              className="-me-1.5 grid size-8 place-items-center self-start rounded-ctl text-ink-2 hover:bg-sunken hover:text-ink"
            >
              <X size={16} aria-hidden />
            </Radix.Close>
          </header>
          <div
            data-body
            className="min-h-0 flex-1 overflow-y-auto px-[22px] pt-2 pb-5 outline-offset-[-2px]"
            {...(isText ? { tabIndex: 0, role: 'region', 'aria-label': title } : {})}
          >
            {children}
          </div>
          {footer !== undefined && (
            <footer className="flex flex-wrap items-center gap-2 border-t border-line px-[22px] py-3">
              {footer}
            </footer>
          )}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
};

/** A titled part of a dialog. */
export const DialogSection = ({ title, children }: { title: string; children: ReactNode }) => (
  <section aria-label={title} className="mt-5">
    <h3 className="mb-2 text-xs font-medium text-ink-2">{title}</h3>
    {children}
  </section>
);

type ConfirmDialogProps = {
  title: string;
  text: ReactNode;
  confirmLabel: string;
  cancelLabel: string;
  /** Default true; false while the text is not whole yet. */
  canConfirm?: boolean;
  onConfirm: () => void;
  onCancel: () => void;
};

/** Confirms an irreversible action; the focus is on Cancel. */
export const ConfirmDialog = ({
  title,
  text,
  confirmLabel,
  cancelLabel,
  canConfirm = true,
  onConfirm,
  onCancel,
}: ConfirmDialogProps) => {
  const onCloseAutoFocus = useReturnFocus();
  return (
    <AlertDialog.Root open onOpenChange={(open) => !open && onCancel()}>
      <AlertDialog.Portal>
        <AlertDialog.Overlay className={OVERLAY} />
        <AlertDialog.Content
          className={cx(PANEL, 'w-[calc(100vw-24px)] max-w-[440px] p-[22px]')}
          onCloseAutoFocus={onCloseAutoFocus}
        >
          <AlertDialog.Title className="font-serif text-lg font-semibold">{title}</AlertDialog.Title>
          <AlertDialog.Description asChild>
            <div className="mt-2 text-ink-2">{text}</div>
          </AlertDialog.Description>
          <div className="mt-5 flex justify-end gap-2">
            <AlertDialog.Cancel asChild>
              <Button variant="ghost">{cancelLabel}</Button>
            </AlertDialog.Cancel>
            <AlertDialog.Action asChild>
              <Button variant="danger" disabled={!canConfirm} onClick={onConfirm}>
                {confirmLabel}
              </Button>
            </AlertDialog.Action>
          </div>
        </AlertDialog.Content>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
};
