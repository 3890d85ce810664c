// Textos do primeiro uso, de uma nova senha por código e do que o doctor diz.
import type { door as english } from '../en/door.ts';

export const door: Record<keyof typeof english, string> = {
  'setup.title': 'Bem-vindo ao Botel',
  'setup.lead': 'Aqui se cria a primeira conta. É ela que cuida deste servidor.',
  'setup.password_hint': 'Pelo menos 12 caracteres. Uma frase é mais fácil de lembrar que um enigma.',
  'setup.apps': 'Endereços dos apps',
  'setup.apps_hint':
    'Vem de BOTEL_APPS_DOMAIN, no ambiente do servidor ou no arquivo .env dele. Se esses nomes chegam aqui, a próxima página verifica.',
  'setup.submit': 'Criar a conta',
  'setup.no_token': 'Esta página precisa do link de uso único que o servidor mostra ao iniciar.',
  'setup.done': 'Este servidor já tem a sua primeira conta.',
  'setup.machine': 'Esta máquina',
  'setup.machine_lead':
    'O que os bots precisam para rodar, verificado agora. Depois, isso fica na página de administração.',
  'setup.next': 'Criar o primeiro bot',

  'reset.title': 'Uma nova senha',
  'reset.lead': 'Todos os dispositivos conectados à sua conta serão desconectados.',
  'reset.code': 'Código',
  'reset.code_hint': 'O administrador deste servidor passou para você. Vale uma vez, por 24 horas.',
  'reset.submit': 'Definir a senha',
  'reset.done': 'A sua nova senha já está valendo.',
  'reset.bad':
    'Este código já foi usado, foi trocado por um mais novo ou tem mais de 24 horas. Peça outro ao administrador.',

  'checkup.again': 'Verificar de novo',
  'checkup.all_fine': 'Tudo em ordem.',
  'checkup.to_fix': '{count} a corrigir',
  'checkup.to_know': '{count} {count|aviso|avisos}',
  'checkup.state.ok': 'em ordem',
  'checkup.state.warn': 'bom saber',
  'checkup.state.fix': 'a corrigir',
  'checkup.docker': 'Docker e imagens',
  'checkup.network': 'Rede dos bots',
  'checkup.disk': 'Dados e disco',
  'checkup.ports': 'Portas',
  'checkup.apps': 'Apps e TLS',
  'checkup.clock': 'Relógio',
  'checkup.botel': 'O próprio Botel',
};
