// Required before the command line: the process kills itself, as by kill -9, once so many bytes
// were written to files; or right before or after it would give the new file its name.

const fs = require('node:fs')

const { CRASH_AT } = process.env
const die = () => process.kill(process.pid, 'SIGKILL')

if (CRASH_AT === 'rename' || CRASH_AT === 'renamed') {
  const { renameSync } = fs
  fs.renameSync = (from, to) => {
    if (CRASH_AT === 'renamed') renameSync(from, to)
    die()
  }
} else {
  let left = Number(CRASH_AT)
  const { writeSync } = fs
  fs.writeSync = (fd, bytes, ...rest) => {
    if (!Buffer.isBuffer(bytes) || bytes.length < left) {
      left -= Buffer.isBuffer(bytes) ? bytes.length : 0
      return writeSync(fd, bytes, ...rest)
    }
    writeSync(fd, bytes, 0, left)
    return die()
  }
}
