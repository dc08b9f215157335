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
