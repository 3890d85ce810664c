// Texts of a bot's menu: kill, duplicate, download, delete.
export const botMenu = {
  'menu.duplicate': 'Duplicate',
  'menu.download': 'Download files',
  'menu.delete': 'Delete',
  'copy.title': 'Duplicate {name}?',
  'copy.lead':
    'Copies its current files, variables and settings to a new bot. Its app, backups and schedules aren’t copied.',
  'copy.start': 'Start it when it’s ready',
  'copy.under_way': 'The copy is being created',
  'copy.step.backup': 'Reading files, variables and settings',
  'copy.step.create': 'Creating the copy',
  'copy.step.clean': 'Cleaning up',
  'copy.step.start': 'Starting the copy',
  'delete.backup_first': 'Save a backup first',
  'delete.saving': 'Backup created; downloading it',
  'delete.saved': 'Save another backup',
} as const;
