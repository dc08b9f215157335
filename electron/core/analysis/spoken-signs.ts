/** How the signs of addresses and numbers are said in the languages of the number words. */
export const SPOKEN_SIGNS = {
  '.': ['dot', 'point', 'punkt', 'punto', 'ponto', 'punt'],
  '@': ['at', 'arroba', 'arobase', 'ät', 'klammeraffe', 'chiocciola', 'apenstaartje'],
  '-': [
    'dash',
    'hyphen',
    'minus',
    'strich',
    'bindestrich',
    'tiret',
    'guion',
    'guión',
    'trattino',
    'traço',
    'hífen',
    'streepje',
    'koppelteken',
  ],
  _: ['underscore', 'unterstrich', 'sublinhado'],
  '/': ['slash', 'schrägstrich', 'barra', 'schuine'],
} as const satisfies Record<string, readonly string[]>;
