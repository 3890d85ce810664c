// Texts of a bot's menu: kill, duplicate, download, delete.
export const botMenu = {
  'menu.duplicate': 'Duplicate',
  'menu.download': 'Download its files',
  'menu.delete': 'Delete',
  'copy.title': 'Duplicate {name}?',
  'copy.lead':
    'The new bot gets its files, variables and settings as they are now. App, backups and schedules stay with the old one.',
  'copy.start': 'Start it once it is there',
  'copy.under_way': 'The copy is being made',
  'copy.step.backup': 'Reading files, variables and settings',
  'copy.step.create': 'Making the new bot of them',
  'copy.step.clean': 'Clearing up',
  'copy.step.start': 'Starting it',
  'delete.backup_first': 'Save a backup first',
  'delete.saving': 'The backup was made and is being saved',
  'delete.saved': 'Save another backup',
} as const;
