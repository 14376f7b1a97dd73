import react from '@vitejs/plugin-react';
import { defineConfig, mergeConfig } from 'vite';
import { classicScript } from './vite/classicScript.ts';
import { coreInBrowser } from './vite/core.ts';
import { faceNotices } from './vite/faceNotices.ts';
import { glossaryWords } from './vite/glossaryWords.ts';
import { laterScripts } from './vite/laterScripts.ts';
import { scenarioShelf } from './vite/shelf.ts';

export default defineConfig(
  mergeConfig(coreInBrowser, {
    plugins: [react(), classicScript(), scenarioShelf(), laterScripts(), faceNotices(), glossaryWords()],
    // The parts that it is made of would find an older React above this folder.
    resolve: { dedupe: ['react', 'react-dom'] },
    build: {
      // Beside what tsc writes.
      outDir: 'dist/site',
      emptyOutDir: true,
      chunkSizeWarningLimit: 4000,
      license: { fileName: 'THIRD-PARTY-NOTICES.txt' },
    },
  }),
);
