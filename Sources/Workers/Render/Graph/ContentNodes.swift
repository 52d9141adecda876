/// The nodes of what a clip, or an analyser's file, shows on the canvas.
struct ContentNodes {
    var output: any Node<Surface>
    /// Every node that opens or keeps something.
    var parts: [any Node]
}
