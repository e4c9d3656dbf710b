/**
 * How the page is built: one script, one style, the workspace's packages from their sources. Relative addresses, and
 * nothing inline: the page's security policy allows no exception.
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
