// Texts of the frame around one bot.
export const bot = {
  'bot.tabs': 'Bot sections',
  'bot.tab.console': 'Console',
  'bot.tab.files': 'Files',
  'bot.tab.env': 'Environment',
  'bot.tab.metrics': 'Metrics',
  'bot.tab.backups': 'Backups',
  'bot.tab.activity': 'Activity',
  'bot.tab.settings': 'Settings',
  'bot.size': '{memory} MB, {vcpu} vCPU',
} as const;
