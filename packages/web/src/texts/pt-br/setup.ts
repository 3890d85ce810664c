// Textos do primeiro uso, de uma nova senha por código e do que o doctor diz.
import type { setup as english } from '../en/setup.ts';

export const setup: Record<keyof typeof english, string> = {
  'setup.title': 'Bem-vindo ao Botel',
  'setup.lead': 'Crie a primeira conta. Ela será a administradora deste servidor.',
  'setup.password_hint': 'Pelo menos 12 caracteres. Uma frase curta funciona bem.',
  'setup.apps': 'Endereços dos apps',
  'setup.apps_hint': 'Definido por BOTEL_APPS_DOMAIN. A próxima etapa verifica se esses nomes chegam a este servidor.',
  'setup.submit': 'Criar conta',
  'setup.no_token': 'Abra o link de configuração de uso único que o servidor mostra ao iniciar.',
  'setup.done': 'A configuração já foi feita. Entre com a sua conta.',
  'setup.machine': 'Esta máquina',
  'setup.machine_lead':
    'Tudo de que os bots precisam, verificado agora. Depois, você encontra isto em Administração → Máquina.',
  'setup.next': 'Criar o seu primeiro bot',

  'reset.title': 'Escolha uma nova senha',
  'reset.lead': 'Isto desconecta todos os seus dispositivos.',
  'reset.code': 'Código',
  'reset.code_hint': 'O administrador deste servidor passa o código. Ele funciona uma vez e vale por 24 horas.',
  'reset.submit': 'Definir senha',
  'reset.done': 'Senha alterada. Você já pode entrar.',
  'reset.bad':
    'Este código já foi usado, foi trocado por um mais novo ou tem mais de 24 horas. Peça outro ao administrador.',

  'checkup.again': 'Verificar de novo',
  'checkup.all_fine': 'Tudo pronto.',
  'checkup.to_fix': '{count} a corrigir',
  'checkup.to_know': '{count} {count|aviso|avisos}',
  'checkup.state.ok': 'OK',
  'checkup.state.warn': 'aviso',
  'checkup.state.fix': 'a corrigir',
  'checkup.docker': 'Docker e imagens',
  'checkup.network': 'Rede dos bots',
  'checkup.disk': 'Dados e disco',
  'checkup.ports': 'Portas',
  'checkup.apps': 'Apps e TLS',
  'checkup.clock': 'Relógio',
  'checkup.botel': 'O próprio Botel',
};
