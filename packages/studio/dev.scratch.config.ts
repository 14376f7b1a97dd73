import react from '@vitejs/plugin-react';
import { defineConfig, mergeConfig } from 'vite';
import { classicScript } from './vite/classicScript.ts';
import { coreInBrowser } from './vite/core.ts';
import { glossaryWords } from './vite/glossaryWords.ts';
const core = { ...coreInBrowser, plugins: coreInBrowser.plugins.filter((p: { name: string }) => p.name !== 'replsim:smaller') };
export default defineConfig(mergeConfig(core, {
  plugins: [react(), classicScript(), glossaryWords()],
  resolve: { dedupe: ['react', 'react-dom'] },
  build: { outDir: '/work/wt/shell/.scratch/site', emptyOutDir: false, minify: false, chunkSizeWarningLimit: 9000, reportCompressedSize: false },
}));
