/** `pnpm pack:all`: packs the tarballs for the checks. A check that runs alone packs them too. */
import { report } from '../ci/lib/report.ts'
import { tarballs } from './packed/tarballs.ts'
import { currentAddress, NO_ADDRESS } from './project-address.ts'

const packed = await tarballs()
if (currentAddress() === undefined) console.log(NO_ADDRESS)
report('pack', [], `${packed.length} tarballs`)
