// Textos do diálogo que salva linhas de um log.
import type { download as english } from '../en/download.ts';

export const download: Record<keyof typeof english, string> = {
  'download.title': 'Baixar log',
  'download.what': 'Linhas',
  'download.shown': 'Linhas mostradas aqui',
  'download.run': 'Uma execução',
  'download.range': 'Período',
  'download.all': 'Log inteiro',
  'download.since': 'De',
  'download.until': 'Até',
  'download.open_end': 'Deixe vazio para não limitar.',
  'download.format': 'Formato',
  'download.txt': 'Texto (.log)',
  'download.ndjson': 'JSON Lines (.jsonl)',
  'download.save': 'Baixar',
};
