/** How the signs of addresses and numbers are said in English, German, French and Spanish. */
export const SPOKEN_SIGNS = {
  '.': ['dot', 'point', 'punkt', 'punto'],
  '@': ['at', 'arroba', 'arobase', 'ät', 'klammeraffe'],
  '-': ['dash', 'hyphen', 'minus', 'strich', 'bindestrich', 'tiret', 'guion', 'guión'],
  _: ['underscore', 'unterstrich'],
  '/': ['slash', 'schrägstrich', 'barra'],
} as const satisfies Record<string, readonly string[]>;
