/**
 * Bundles the code of the package in the working folder: one file for each entry and a few parts that entries share. Node
 * pays for an import by the file. `tsc` writes the declarations, file by file as the sources are: nothing loads those.
 */
import { bundlePackage } from './bundle.ts'

await bundlePackage(process.cwd())
