/**
 * The build configuration of the page: one script, one style sheet, and the packages of the workspace from their sources. URLs are
 * relative and nothing is inline, because the page's content security policy allows no exception.
 */
export default {
  base: './',
  resolve: { conditions: ['@brokerwire/source', 'browser', 'module', 'import', 'default'] },
  build: {
    target: 'es2022',
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        entryFileNames: 'console.js',
        chunkFileNames: '[name].js',
        assetFileNames: 'console.[ext]',
        codeSplitting: false,
      },
    },
  },
}
