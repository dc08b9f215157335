import { Check, Copy } from 'lucide-react';
import { useState } from 'react';
import { IconButton } from './button.tsx';
import { ScrollRegion } from './scroll-region.tsx';

/** Code or a URL with a copy button. */
export const CodeBlock = ({
  code,
  label,
  copyLabel,
  copiedLabel,
}: {
  code: string;
  label: string;
  copyLabel: string;
  copiedLabel: string;
}) => {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(code);
    setCopied(true);
    setTimeout(() => setCopied(false), 1500);
  };
  return (
    <div className="relative rounded-box border border-line bg-ground">
      <ScrollRegion label={label} className="overflow-x-auto rounded-box">
        <pre className="w-max p-3.5 pe-12 font-mono text-xs leading-relaxed">{code}</pre>
      </ScrollRegion>
      <IconButton
        label={copied ? copiedLabel : copyLabel}
        className="absolute end-1.5 top-1.5 bg-ground"
        onClick={() => void copy()}
      >
        {copied ? <Check size={15} className="text-good" aria-hidden /> : <Copy size={15} aria-hidden />}
      </IconButton>
      <span role="status" className="sr-only">
        {copied ? copiedLabel : ''}
      </span>
    </div>
  );
};
