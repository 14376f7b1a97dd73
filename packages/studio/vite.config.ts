import react from '@vitejs/plugin-react';
import { defineConfig, mergeConfig } from 'vite';
import { classicScript } from './vite/classicScript.ts';
import { coreInBrowser } from './vite/core.ts';
import { scenarioShelf } from './vite/shelf.ts';

export default defineConfig(
  mergeConfig(coreInBrowser, {
    plugins: [react(), classicScript(), scenarioShelf()],
    // Beside what tsc writes.
    build: { outDir: 'dist/site', emptyOutDir: true, chunkSizeWarningLimit: 4000 },
  }),
);
