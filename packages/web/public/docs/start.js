// Draws /openapi.json with Scalar, which is told to ask nobody else for anything: no fonts, no proxy, no telemetry, no AI. It sends no
// requests of its reader's either: here they would carry the reader's session.
window.Scalar.createApiReference('#reference', {
  url: '/openapi.json',
  layout: 'modern',
  defaultOpenAllTags: true,
  theme: 'none',
  withDefaultFonts: false,
  telemetry: false,
  proxyUrl: '',
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  hideClientButton: true,
  hideTestRequestButton: true,
  hideDarkModeToggle: true,
  persistAuth: false,
  forceDarkModeState: document.documentElement.dataset.theme === 'dark' ? 'dark' : 'light',
});
