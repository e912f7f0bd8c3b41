// Instead of signal-exit. Locks are released by our own exit listener, and write-file-atomic is
// called synchronously, so that no exit comes between.

const onExit = () => () => {}

module.exports = onExit
module.exports.onExit = onExit
