/** The Worker of the tests, which exports the object as in docs/guides/workers.md. */
export { StoreObject } from '../durable-object/index.ts'

const worker = { fetch: () => new Response(null, { status: 404 }) }
// biome-ignore lint/style/noDefaultExport: the platform reads a Worker's handlers from the default export
export default worker
