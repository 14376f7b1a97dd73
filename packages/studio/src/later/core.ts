import { workForPage } from './workForPage.ts';

// The script `core.js` is made of this file and all that plays nearly every scenario, see `vite/laterScripts.ts`.

workForPage();
