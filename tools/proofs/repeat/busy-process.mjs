/** Computes without end. JavaScript, so that it starts at once; looks up now and then, to see whether its parent lives. */
const SLICE_MS = 100

process.on('disconnect', () => process.exit())
process.send('busy')

function compute() {
  const end = performance.now() + SLICE_MS
  while (performance.now() < end);
  setImmediate(compute)
}
compute()
