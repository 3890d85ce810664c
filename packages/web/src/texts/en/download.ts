// Texts of the dialog that saves lines of a log.
export const download = {
  'download.title': 'Download the log',
  'download.what': 'Which lines',
  'download.shown': 'Those shown here',
  'download.run': 'Of one run',
  'download.range': 'Of a span of time',
  'download.all': 'All that are kept',
  'download.since': 'From',
  'download.until': 'Until',
  'download.open_end': 'Empty: no limit.',
  'download.format': 'As',
  'download.txt': 'Text (.log)',
  'download.ndjson': 'JSON, a line each (.jsonl)',
  'download.save': 'Download',
} as const;
