// A small line chart, with a dashed line for the limit. Unknown values are gaps, not zeros.
interface SparklineProps {
  /** For screen readers. */
  label: string;
  values: (number | null)[];
  limit?: number;
  /** The lowest top of the scale, without a limit. */
  minTop?: number;
  className?: string;
}

const width = 240;
const height = 44;
const room = 3;

export function Sparkline({ label, values, limit, minTop = 0, className = 'mt-1 h-11 w-full' }: SparklineProps) {
  const top = Math.max(limit ?? minTop, ...values.map((value) => value ?? 0)) || 1;
  const x = (index: number) => (values.length < 2 ? 0 : (index / (values.length - 1)) * width);
  const y = (value: number) => height - room - (value / top) * (height - 2 * room);
  let path = '';
  let isOpen = false;
  values.forEach((value, index) => {
    if (value !== null) path += `${isOpen ? 'L' : 'M'}${x(index).toFixed(1)} ${y(value).toFixed(1)}`;
    isOpen = value !== null;
  });
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      className={className}
    >
      {limit !== undefined && (
        <line
          x1="0"
          x2={width}
          y1={y(limit)}
          y2={y(limit)}
          className="stroke-edge"
          strokeDasharray="4 4"
          vectorEffect="non-scaling-stroke"
        />
      )}
      <path
        d={path}
        fill="none"
        strokeWidth="2"
        className="stroke-accent"
        strokeLinejoin="round"
        strokeLinecap="round"
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  );
}
