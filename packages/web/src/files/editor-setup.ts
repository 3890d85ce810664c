// The code editor: its style in both themes and its languages, each loaded when a file needs it.
// CodeMirror is in this chunk only.
import { HighlightStyle, StreamLanguage, syntaxHighlighting } from '@codemirror/language';
import { Compartment, EditorState, type Extension } from '@codemirror/state';
import { keymap } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { basicSetup, EditorView } from 'codemirror';
import { endingOf, nameOf } from './file-kinds.ts';

type Parser = Parameters<typeof StreamLanguage.define>[0];

const clike = () => import('@codemirror/legacy-modes/mode/clike');
const script = () => import('@codemirror/legacy-modes/mode/javascript');

const languages: Record<string, () => Promise<Parser>> = {
  js: async () => (await script()).javascript,
  mjs: async () => (await script()).javascript,
  cjs: async () => (await script()).javascript,
  jsx: async () => (await script()).javascript,
  ts: async () => (await script()).typescript,
  tsx: async () => (await script()).typescript,
  json: async () => (await script()).json,
  py: async () => (await import('@codemirror/legacy-modes/mode/python')).python,
  java: async () => (await clike()).java,
  kt: async () => (await clike()).kotlin,
  c: async () => (await clike()).c,
  h: async () => (await clike()).c,
  go: async () => (await import('@codemirror/legacy-modes/mode/go')).go,
  rs: async () => (await import('@codemirror/legacy-modes/mode/rust')).rust,
  yml: async () => (await import('@codemirror/legacy-modes/mode/yaml')).yaml,
  yaml: async () => (await import('@codemirror/legacy-modes/mode/yaml')).yaml,
  toml: async () => (await import('@codemirror/legacy-modes/mode/toml')).toml,
  sh: async () => (await import('@codemirror/legacy-modes/mode/shell')).shell,
  css: async () => (await import('@codemirror/legacy-modes/mode/css')).css,
  html: async () => (await import('@codemirror/legacy-modes/mode/xml')).html,
  xml: async () => (await import('@codemirror/legacy-modes/mode/xml')).xml,
  sql: async () => (await import('@codemirror/legacy-modes/mode/sql')).standardSQL,
  properties: async () => (await import('@codemirror/legacy-modes/mode/properties')).properties,
  env: async () => (await import('@codemirror/legacy-modes/mode/properties')).properties,
  ini: async () => (await import('@codemirror/legacy-modes/mode/properties')).properties,
};

const look = EditorView.theme({
  '&': { height: '100%', fontSize: '0.8125rem', backgroundColor: 'transparent', color: 'var(--ink)' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'var(--font-mono)', lineHeight: '1.5' },
  '.cm-content': { caretColor: 'var(--ink)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-gutters': { backgroundColor: 'transparent', color: 'var(--muted)', borderRight: '1px solid var(--line)' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'color-mix(in srgb, var(--edge) 12%, transparent)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'color-mix(in srgb, var(--accent) 28%, transparent)',
  },
  '.cm-content ::selection': { backgroundColor: 'transparent', color: 'inherit' },
  '.cm-panels': { backgroundColor: 'var(--sunken)', color: 'var(--ink)' },
  '.cm-textfield, .cm-button': { backgroundImage: 'none', backgroundColor: 'var(--surface)', color: 'var(--ink)' },
  '.cm-tooltip': { backgroundColor: 'var(--surface)', color: 'var(--ink)', border: '1px solid var(--line)' },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': { backgroundColor: 'var(--accent)', color: 'var(--on-accent)' },
  '.cm-deletedChunk': { backgroundColor: 'var(--bad-soft)' },
  '&.cm-merge-b .cm-changedLine, .cm-insertedLine': { backgroundColor: 'var(--good-soft)' },
  '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': {
    backgroundColor: 'transparent',
    outline: '1px solid var(--edge)',
  },
});

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier], color: 'light-dark(#8a2a6b, #f0a3d4)' },
  { tag: [tags.string, tags.special(tags.string), tags.regexp], color: 'light-dark(#17663a, #8fdcab)' },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: 'light-dark(#7d4e00, #ebb65a)' },
  { tag: [tags.comment, tags.meta], color: 'var(--muted)', fontStyle: 'italic' },
  {
    tag: [tags.function(tags.variableName), tags.propertyName, tags.definition(tags.variableName)],
    color: 'var(--info)',
  },
  { tag: [tags.typeName, tags.className, tags.tagName, tags.attributeName], color: 'light-dark(#0e6252, #64c8b1)' },
  { tag: tags.heading, fontWeight: 'bold' },
  { tag: tags.invalid, color: 'var(--bad)' },
]);

/** What every editor has. `label` names it for screen readers. */
export function editorExtensions(label: string, onSave: () => void): Extension[] {
  return [
    keymap.of([{ key: 'Mod-s', preventDefault: true, run: () => (onSave(), true) }]),
    basicSetup,
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ 'aria-label': label }),
    look,
    syntaxHighlighting(colours),
  ];
}

const languageOf = new Compartment();

export interface CodeInput {
  parent: HTMLElement;
  path: string;
  /** The initial content: an earlier state, or a text. */
  state: EditorState | null;
  text: string;
  label: string;
  onChange: (state: EditorState) => void;
  onSave: () => void;
}

/** Shows a file until the returned function is called. */
export function openEditor({ parent, path, state, text, label, onChange, onSave }: CodeInput): EditorView {
  const extensions = [
    languageOf.of([]),
    editorExtensions(label, onSave),
    EditorView.updateListener.of((update) => {
      if (update.docChanged || update.selectionSet) onChange(update.state);
    }),
  ];
  const begun = state
    ? EditorState.create({ doc: state.doc, selection: state.selection, extensions })
    : EditorState.create({ doc: text, extensions });
  const view = new EditorView({ parent, state: begun });
  onChange(view.state);
  void colour(view, path);
  return view;
}

/** Highlighting is applied once loaded; the editor works without it. */
async function colour(view: EditorView, path: string): Promise<void> {
  const name = nameOf(path);
  const load = languages[name.startsWith('.env') ? 'env' : endingOf(path)];
  const parser = await load?.().catch(() => undefined);
  if (parser) view.dispatch({ effects: languageOf.reconfigure(StreamLanguage.define(parser)) });
}
