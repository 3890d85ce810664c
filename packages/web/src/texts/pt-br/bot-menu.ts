// Textos do menu de um bot: matar, duplicar, baixar, apagar.
import type { botMenu as english } from '../en/bot-menu.ts';

export const botMenu: Record<keyof typeof english, string> = {
  'menu.duplicate': 'Duplicar',
  'menu.download': 'Baixar os arquivos',
  'menu.delete': 'Apagar',
  'copy.title': 'Duplicar {name}?',
  'copy.lead':
    'O novo bot recebe os arquivos, as variáveis e as configurações como estão agora. App, backups e agendas ficam com o antigo.',
  'copy.start': 'Iniciar assim que estiver pronto',
  'copy.under_way': 'A cópia está sendo feita',
  'copy.step.backup': 'Lendo arquivos, variáveis e configurações',
  'copy.step.create': 'Criando o novo bot com eles',
  'copy.step.clean': 'Arrumando',
  'copy.step.start': 'Iniciando',
  'delete.backup_first': 'Salvar um backup antes',
  'delete.saving': 'O backup foi feito e está sendo salvo',
  'delete.saved': 'Salvar outro backup',
};
