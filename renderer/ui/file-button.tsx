import { type ReactNode, useRef } from 'react';
import { MEDIA_EXTENSIONS } from '../../electron/contract/media-kinds.ts';
import { Button, type ButtonVariant } from './button.tsx';

/** `accept` for recordings, also of kinds that the system does not know as audio or video. */
export const RECORDINGS = ['audio/*', 'video/*', ...MEDIA_EXTENSIONS.map((each) => `.${each}`)].join(',');

type FileButtonProps = {
  label: string;
  icon: ReactNode;
  onFiles: (files: File[]) => void;
  /** File types of the system's dialog; all without it. */
  accept?: string;
  variant?: ButtonVariant;
  className?: string;
  testId?: string;
};

/** A button that opens the system's file dialog, for one or several files. */
export const FileButton = ({ label, icon, onFiles, accept, variant, className, testId }: FileButtonProps) => {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button variant={variant} className={className} onClick={() => input.current?.click()}>
        {icon}
        {label}
      </Button>
      <input
        ref={input}
        type="file"
        multiple
        accept={accept}
        className="hidden"
        data-testid={testId}
        aria-label={label}
        onChange={(event) => {
          const files = [...(event.target.files ?? [])];
          // Choosing the same file again is a change as well.
          event.target.value = '';
          if (files.length > 0) onFiles(files);
        }}
      />
    </>
  );
};
