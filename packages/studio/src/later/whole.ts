import { workForPage } from './workForPage.ts';

// The script `whole.js` is made of this file and the whole core, see `vite/laterScripts.ts`.

workForPage();
