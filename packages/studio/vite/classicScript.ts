import type { Plugin } from 'vite';

/** A page from `file:` may load no module: it is one script of the old kind, which runs when the page is there, and one style sheet. */
export function classicScript(): Plugin {
  return {
    name: 'replsim:classic-script',
    apply: 'build',
    config: () => ({
      build: {
        modulePreload: false,
        cssCodeSplit: false,
        rolldownOptions: { output: { format: 'iife', codeSplitting: false } },
      },
    }),
    transformIndexHtml: {
      order: 'post',
      handler: (html) =>
        html.replaceAll('<script type="module" crossorigin', '<script defer').replaceAll(' crossorigin', ''),
    },
  };
}
