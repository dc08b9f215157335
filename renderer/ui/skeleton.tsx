const WIDTHS = [46, 62, 38, 54, 70, 42];

/** Lines where something is about to be; `label` is spoken once. */
export const SkeletonRows = ({ label, rows = 4 }: { label: string; rows?: number }) => (
  <div role="status" aria-label={label} data-loading>
    {WIDTHS.slice(0, rows).map((width) => (
      <div key={width} className="border-b border-line py-4 last:border-0">
        <span className="skeleton block h-3.5" style={{ width: `${width}%` }} />
        <span className="skeleton mt-2.5 block h-2.5 w-1/4" />
      </div>
    ))}
  </div>
);
