// Texts of the dialog that saves lines of a log.
export const download = {
  'download.title': 'Download log',
  'download.what': 'Lines',
  'download.shown': 'Lines shown here',
  'download.run': 'One run',
  'download.range': 'Time range',
  'download.all': 'Entire log',
  'download.since': 'From',
  'download.until': 'To',
  'download.open_end': 'Leave empty for no limit.',
  'download.format': 'Format',
  'download.txt': 'Text (.log)',
  'download.ndjson': 'JSON Lines (.jsonl)',
  'download.save': 'Download',
} as const;
