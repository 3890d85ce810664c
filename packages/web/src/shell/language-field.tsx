// Chooses the language of the dashboard, stored in this browser.
import { Field, Select } from '../kit/field.tsx';
import { type Language, remember } from '../lib/preferences.ts';
import { loadLanguage, shownLanguage, t } from '../texts/text.ts';

const languages: [Language, string][] = [
  ['en', 'English'],
  ['pt-BR', 'Português (Brasil)'],
];

export function LanguageField() {
  return (
    <Field label={t('language.label')}>
      <Select
        value={shownLanguage.get()}
        onChange={({ target }) => {
          remember('language', target.value);
          void loadLanguage(target.value as Language);
        }}
      >
        {languages.map(([code, name]) => (
          <option key={code} value={code} lang={code}>
            {name}
          </option>
        ))}
      </Select>
    </Field>
  );
}
