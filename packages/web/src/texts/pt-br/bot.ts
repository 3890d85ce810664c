// Textos em volta de um bot.
import type { bot as english } from '../en/bot.ts';

export const bot: Record<keyof typeof english, string> = {
  'bot.tabs': 'Seções do bot',
  'bot.tab.console': 'Console',
  'bot.tab.files': 'Arquivos',
  'bot.tab.env': 'Ambiente',
  'bot.tab.metrics': 'Métricas',
  'bot.tab.backups': 'Backups',
  'bot.tab.activity': 'Atividade',
  'bot.tab.settings': 'Configurações',
  'bot.size': '{memory} MB, {vcpu} vCPU',
};
