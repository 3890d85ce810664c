// Textos do menu de um bot: matar, duplicar, baixar, apagar.
import type { botMenu as english } from '../en/bot-menu.ts';

export const botMenu: Record<keyof typeof english, string> = {
  'menu.duplicate': 'Duplicar',
  'menu.download': 'Baixar arquivos',
  'menu.delete': 'Apagar',
  'copy.title': 'Duplicar {name}?',
  'copy.lead':
    'Copia os arquivos, as variáveis e as configurações atuais para um novo bot. App, backups e agendas não são copiados.',
  'copy.start': 'Iniciar quando estiver pronto',
  'copy.under_way': 'A cópia está sendo criada',
  'copy.step.backup': 'Lendo arquivos, variáveis e configurações',
  'copy.step.create': 'Criando a cópia',
  'copy.step.clean': 'Limpando',
  'copy.step.start': 'Iniciando a cópia',
  'delete.backup_first': 'Salvar um backup antes',
  'delete.saving': 'Backup criado; baixando',
  'delete.saved': 'Salvar outro backup',
};
