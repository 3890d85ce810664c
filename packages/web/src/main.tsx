// Entry point: loads the texts of the user's language, then renders.
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { applyTheme } from './lib/preferences.ts';
import { loadLanguage } from './texts/text.ts';
import './styles.css';

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no root');
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', applyTheme);
// A part that fails to load resolves with nothing; its caller decides (lib/lazy-part.ts).
addEventListener('vite:preloadError', (event) => event.preventDefault());
await loadLanguage().catch(() => undefined);
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
