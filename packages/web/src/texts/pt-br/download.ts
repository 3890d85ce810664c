// Textos do diálogo que salva linhas de um log.
import type { download as english } from '../en/download.ts';

export const download: Record<keyof typeof english, string> = {
  'download.title': 'Baixar o log',
  'download.what': 'Quais linhas',
  'download.shown': 'As mostradas aqui',
  'download.run': 'De uma execução',
  'download.range': 'De um período',
  'download.all': 'Todas as que estão guardadas',
  'download.since': 'De',
  'download.until': 'Até',
  'download.open_end': 'Vazio: sem limite.',
  'download.format': 'Como',
  'download.txt': 'Texto (.log)',
  'download.ndjson': 'JSON, um por linha (.jsonl)',
  'download.save': 'Baixar',
};
