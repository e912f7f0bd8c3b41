// Loaded before a program that is measured: at its end it writes its peak memory, in bytes.

const { writeFileSync } = require('node:fs')

process.on('exit', () => {
  writeFileSync(process.env.peakFile, String(process.resourceUsage().maxRSS * 1024))
})
