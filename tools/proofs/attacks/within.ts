/**
 * Tells what hangs from what a busy machine is slow with: time is counted in steps of this process, so that a stretch in
 * which the machine did not let it run, or it was busy with the other attacks, counts as one step.
 */

const STEP_MS = 100

/** What `work` comes to, or `'hangs'` where it does not end within so much time of this process. */
export async function within<T>(work: Promise<T>, limitMs: number): Promise<T | 'hangs'> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<'hangs'>((resolve) => {
    let leftMs = limitMs
    timer = setInterval(() => {
      leftMs -= STEP_MS
      if (leftMs <= 0) resolve('hangs')
    }, STEP_MS)
  })
  return Promise.race([work, late]).finally(() => clearInterval(timer))
}
