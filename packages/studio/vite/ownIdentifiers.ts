import type { Plugin } from 'vite';

/** The parser of patterns, which brings a list of all letters with which the name of a group may begin, or go on. */
const PARSER = /\/@eslint-community\/regexpp\/index\.mjs$/;

/** Lets the browser say what such a letter is, as it has the same list. */
export function ownIdentifiers(): Plugin {
  return {
    name: 'replsim:own-identifiers',
    apply: 'build',
    transform(code, id) {
      if (!PARSER.test(id)) return;
      return ['Start', 'Continue'].reduce((text, which) => {
        const lists = new RegExp(`(function isLargeId${which}\\(cp\\) \\{\n).*\n`);
        if (!lists.test(text)) this.error(`${id} tells letters apart in a way that is not known here`);
        return text.replace(lists, `$1return /^\\p{ID_${which}}$$/u.test(String.fromCodePoint(cp));\n`);
      }, code);
    },
  };
}
