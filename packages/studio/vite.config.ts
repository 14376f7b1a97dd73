import react from '@vitejs/plugin-react';
import { defineConfig, mergeConfig } from 'vite';
import { coreInBrowser } from './vite/core.ts';
import { faceNotices } from './vite/faceNotices.ts';
import { glossaryWords } from './vite/glossaryWords.ts';
import { laterScripts } from './vite/laterScripts.ts';
import { parts } from './vite/parts.ts';
import { scenarioShelf } from './vite/shelf.ts';

export default defineConfig(
  mergeConfig(coreInBrowser, {
    plugins: [react(), parts(), scenarioShelf(), laterScripts(), faceNotices(), glossaryWords()],
    // The parts that it is made of would find an older React above this folder.
    resolve: { dedupe: ['react', 'react-dom'] },
    build: {
      // Beside what tsc writes.
      outDir: 'dist/site',
      emptyOutDir: true,
      chunkSizeWarningLimit: 4000,
      rolldownOptions: {
        // The page, and what it loads when somebody needs it: see `src/core/run/parts.ts`.
        input: {
          index: 'index.html',
          desk: 'src/page/App.tsx',
          door: 'src/start/DoorBar.tsx',
          core: 'src/later/core.ts',
        },
      },
      license: { fileName: 'THIRD-PARTY-NOTICES.txt' },
    },
  }),
);
