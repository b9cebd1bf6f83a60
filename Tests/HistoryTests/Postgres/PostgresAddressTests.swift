import ServiceKit
import History
import Testing

@Suite("The address of a database")
struct PostgresAddressTests {
    @Test(
        "What is shown of an address has neither the password nor a parameter",
        arguments: [
            ("postgresql://me:secret@db.example:5433/gym?sslmode=require", "me@db.example:5433/gym"),
            ("postgres://db.example/gym?user=me&password=secret", "me@db.example/gym"),
            ("postgresql://me:s%40cret@a:1,b:2/gym?application_name=secret", "me@a:1,b:2/gym"),
            ("postgresql:///gym?host=/run/postgresql", "/run/postgresql/gym"),
        ])
    func shown(url: String, words: String) throws {
        #expect(try PostgresAddress(url).description == words)
    }

    @Test(
        "An address that cannot be read is told without repeating any of it",
        arguments: [
            "postgresql://me:se%zzcret@db.example/gym", "postgresql://me:secret@x@db.example/gym",
            "postgresql://db.example/gym?secret=secret", "mysql://secret@db.example",
        ])
    func wrong(url: String) throws {
        let error = #expect(throws: SettingError.self) { try PostgresAddress(url) }
        let words = try #require(error).description
        #expect(!words.contains("secret") && !words.contains("cret"))
        #expect(!words.contains("\n"))
    }
}
