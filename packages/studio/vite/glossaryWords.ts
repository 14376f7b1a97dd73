import type { Plugin } from 'vite';

const GLOSSARY = /\/docs\/glossary\.md\?raw$/;

/** Of the glossary a page needs the words and what they mean, in their parts: not how a transcript is read, nor where more stands. */
export function glossaryWords(): Plugin {
  return {
    name: 'replsim:glossary-words',
    transform(code, id) {
      if (!GLOSSARY.test(id)) return;
      const text: string = JSON.parse(code.replace(/^export default /, '').replace(/;?\s*$/, ''));
      const lines = text.split('\n').filter((line) => /^(\||###)/.test(line));
      return `export default ${JSON.stringify(lines.map((line) => line.replace(/(\| \[).*$/, '$1')).join('\n'))};`;
    },
  };
}
