// The mark of Botel: a key fob with two lit windows.
export function Logo({ className }: { className?: string }) {
  return (
    <svg viewBox="0 0 32 32" className={className} aria-hidden focusable="false">
      <path
        fill="#0e6b5c"
        d="M9 3h14a3 3 0 0 1 3 3v14.5a3 3 0 0 1-.9 2.1l-7 6.6a3 3 0 0 1-4.2 0l-7-6.6A3 3 0 0 1 6 20.500V6a3 3 0 0 1 3-3Z"
      />
      <circle cx="16" cy="8" r="2" fill="#f6f1e7" />
      <rect x="10.500" y="13" width="3.500" height="5" rx="1.750" fill="#f2c66d" />
      <rect x="18" y="13" width="3.500" height="5" rx="1.750" fill="#f2c66d" />
    </svg>
  );
}
