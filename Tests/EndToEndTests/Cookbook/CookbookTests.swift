import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Each recipe of `docs/cookbook` renders, and its result has the property that the recipe
    /// promises.
    @Suite struct CookbookTests {
        typealias Check = @Sendable (Dish) throws -> Void

        private static let checks: [String: Check] = [timing, pictures, text, sound, output].reduce(into: [:]) {
            $0.merge($1) { _, _ in fatalError("two checks have the same name") }
        }

        @Test(arguments: try Recipe.all.filter(\.isUsual))
        func `a recipe does what it says`(recipe: Recipe) throws {
            let check = try #require(Self.checks[recipe.name], "Add a check of ‘\(recipe.name)’ to CookbookTests.")
            let studio = try Studio()
            let dish = try recipe.cook(in: studio)
            try withExtendedLifetime(studio) { try check(dish) }
        }

        /// The other recipes.
        @Suite struct Sweep {
            @Test(arguments: try Recipe.all.filter { !$0.isUsual })
            func `a recipe does what it says`(recipe: Recipe) throws {
                try CookbookTests().`a recipe does what it says`(recipe: recipe)
            }
        }

        @Test func `every check has its recipe`() throws {
            let names = try Recipe.all.map(\.name)
            #expect(Self.checks.keys.sorted() == names)
        }
    }
}
