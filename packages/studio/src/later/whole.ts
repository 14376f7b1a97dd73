import { isInWorker } from '../core/run/program.ts';
import { workForPage } from '../core/run/worker.ts';

// The script `whole.js` is made of this file and the whole core, see `vite/laterScripts.ts`: to the page it only leaves its program.

if (isInWorker) workForPage();
